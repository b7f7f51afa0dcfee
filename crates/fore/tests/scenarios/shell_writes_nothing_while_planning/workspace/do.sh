#!/bin/sh
echo x > made-by-script
rm -rf src
