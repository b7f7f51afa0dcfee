#!/bin/sh
echo 'the repository says no' >&2
exit 2
