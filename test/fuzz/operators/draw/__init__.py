"""One module per family of operators: functions that draw an operator with its tensors."""
