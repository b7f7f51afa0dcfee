echo other > made.txt
