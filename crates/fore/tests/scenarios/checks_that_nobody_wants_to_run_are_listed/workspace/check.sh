echo checked > checked.txt
