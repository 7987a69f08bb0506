"""How operators become kernels of the host: one `accel.reduce` each, one file per kind."""
