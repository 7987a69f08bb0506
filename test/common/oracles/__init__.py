"""What programs must compute or plans must cost, by code that shares nothing with the compiler."""
