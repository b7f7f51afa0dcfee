echo 'line 1: too long'; exit 3
