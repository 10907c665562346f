#!/bin/bash
# What the Model Checking Contest's BenchKit calls: everything is in the environment and the current folder.
here=$(dirname "$(readlink -f "$0")")
exec "$here/mazurka" mcc
