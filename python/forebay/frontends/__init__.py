"""The front ends of the compiler: one package per model format, each producing TOSA on tensors.

May import `dialects`, `ir`, `pipelines` and `support`; a front end does not import another one.
`errors` holds the errors that all front ends raise, `tensors` the quantisation of a model.

Internal: may change without notice.
"""
