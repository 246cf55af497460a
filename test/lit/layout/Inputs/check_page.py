# Runs every request of a page of the docs and compares the answers: a ```json block
# holds pairs of lines, a request and its answer. Of a list as result the page may show
# the beginning only.
import json
import subprocess
import sys

tool, page = sys.argv[1:]
lines, inside = [], False
for line in open(page, encoding="utf-8"):
    if line.startswith("```"):
        inside = line.strip() == "```json"
    elif inside:
        lines.append(line.strip())
requests, wanted = lines[0::2], [json.loads(line) for line in lines[1::2]]
run = subprocess.run([tool, "layout", "serve"], input="\n".join(requests) + "\n",
                     capture_output=True, text=True, check=True)
answers = [json.loads(line) for line in run.stdout.splitlines()]
assert len(answers) == len(requests) == len(wanted) > 20, "an answer a request"


def cut(answer, shown):
    if isinstance(answer.get("result"), list) and isinstance(shown.get("result"), list):
        assert shown["result"], "shows nothing"
        return {**answer, "result": answer["result"][: len(shown["result"])]}
    return answer


wrong = 0
for request, answer, shown in zip(requests, answers, wanted):
    if cut(answer, shown) != shown:
        wrong += 1
        print("request:", request, "\npage:   ", json.dumps(shown), "\nanswer: ",
              json.dumps(answer))
sys.exit(wrong != 0)
