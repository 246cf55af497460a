# One answer a line, in order, whatever the line is: hostile and valid lines alternate.
import json
import subprocess
import sys

valid = '{"id":%d,"op":"cute","fn":"size","args":["(4,2):(1,8)"]}'
layout = '{"bases":[["register",[[%s]]]],"out":[["x",%s]]}'
hostile = [
    "", "   ", "{", "[]", "null", '"text"', "\x00\x01", "[" * 200000, '{"a":' * 100000,
    '{"op":5}', '{"op":"query"}', '{"op":"query","a":7}', '{"op":"query","a":{"bases":[]}}',
    '{"op":"query","a":' + layout % ("1", "3") + "}",
    '{"op":"query","a":' + layout % ("18446744073709551616", "2") + "}",
    '{"op":"query","a":' + layout % ("-1", "2") + "}",
    '{"op":"query","a":' + layout % ("1", "1e999") + "}",
    '{"op":"query","a":' + layout % ("1,1,1", "2") + "}",
    '{"op":"query","a":{"bases":[["l",[' + ",".join(["[1]"] * 100) + ']]],"out":[["x",2]]}}',
    '{"op":"encode","family":"blocked","params":{"sizePerThread":[4611686018427387904,2]},"shape":[4611686018427387904,4611686018427387904]}',
    '{"op":"encode","family":"slice","params":{},"shape":[4]}',
    '{"op":"encode","family":"blocked","params":{"sizePerThraed":[1]},"shape":[4]}',
    '{"op":"encode","family":"nothing","shape":[4]}',
    '{"op":"instruction","name":"v_mfma","operand":"A","arch":"gfx942"}',
    '{"op":"instruction","name":"mma.m16n8k16.f16","operand":"Q"}',
    '{"op":"instruction","name":"' + "mma.m16" * 500000 + '","operand":"A"}',
    '{"op":"banks","arch":"gfx942","instr":"ds_read_b128","addresses":[-1]}',
    '{"op":"banks","arch":"gfx942","instr":"ds_read_b128","addresses":[' + "0," * 99 + "0]}",
    '{"op":"tile_swizzle","rows":1000000000,"cols":1000000000,"stride":1000000000,"vector":1,"bank_units":8}',
    '{"op":"tile_swizzle","rows":0,"cols":0,"stride":0,"vector":0,"bank_units":0}',
    '{"op":"cute","fn":"size","args":["' + "(" * 5000 + '"]}',
    '{"op":"cute","fn":"size","args":[{}]}',
    '{"op":"cute_to_linear","layout":"(6,8):(8,1)"}',
    '{"op":"cute_to_linear","layout":"8:1","swizzle":[99,0,0]}',
    '{"op":"retile","mma":"mma.m16n8k16.f16","arch":"gfx942","spare":{"n":7}}',
    '{"op":"retile","mma":"mma.m16n8k16.f16","arch":"gfx942","spare":{"pair":"x"}}',
    '{"op":"retile","mma":"ldmatrix.x4","arch":"gfx942"}',
]
lines = []
for i, line in enumerate(hostile):
    lines += [line, valid % i]
run = subprocess.run([sys.argv[1], "layout", "serve"], input="\n".join(lines) + "\n",
                     capture_output=True, text=True, check=True)
answers = [json.loads(line) for line in run.stdout.splitlines()]
assert len(answers) == len(lines), (len(answers), len(lines))
for i, line in enumerate(hostile):
    bad, good = answers[2 * i], answers[2 * i + 1]
    assert bad["ok"] is False and bad["id"] is None and bad["error"], (line[:99], bad)
    assert good == {"id": i, "ok": True, "result": 8}, good
