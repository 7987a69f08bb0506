"""SOFTMAX and LOG_SOFTMAX, over the last dimension."""
