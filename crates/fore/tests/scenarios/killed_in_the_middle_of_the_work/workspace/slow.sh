echo started; sleep 600
