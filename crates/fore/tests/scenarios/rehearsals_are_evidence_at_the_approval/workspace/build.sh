#!/bin/sh
mkdir -p out
echo built > out/made.txt
