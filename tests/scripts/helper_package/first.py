value = "first value"
