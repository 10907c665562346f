#!/bin/bash
# What the Model Checking Contest's BenchKit calls: everything is in the environment and the current folder.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/mazurka" mcc
