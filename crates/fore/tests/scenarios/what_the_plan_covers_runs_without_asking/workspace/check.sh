echo checked
