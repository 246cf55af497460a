"""Named random choices, and a writer of C++ that makes them.

Each choice has a generator of its own, seeded by the kernel's seed, the choice's name and how
often it was made. So a choice that is taken back to the plain form leaves all others as they
were: a kernel that went wrong is made smaller by taking back one choice after the other.
"""
import contextlib
import random


class Draws:
    def __init__(self, seed, plain=()):
        self.seed, self.plain = seed, set(plain)
        self.counts, self.made = {}, {}
        # Some kernels are nearly plain, with one thing that is odd; few are odd all over.
        self.boldness = random.Random(f"{seed}/boldness").choice((0.15, 0.3, 0.3, 0.6, 1.0))

    def _key(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        return f"{name}.{self.counts[name]}"

    def pick(self, name, options, odd=0.5):
        """The first of the options is the plain one; another is taken with a chance of about `odd`."""
        key = self._key(name)
        source = random.Random(f"{self.seed}/{key}")
        if key in self.plain or source.random() >= odd * self.boldness:
            return options[0]
        choice = source.choice(options[1:])
        self.made[key] = getattr(choice, "__name__", str(choice)).split("\n")[0]
        return choice

    def size(self, name, options):
        """A number that is no oddity: all options are as likely."""
        key = self._key(name)
        return options[0] if key in self.plain else random.Random(f"{self.seed}/{key}").choice(options)


class Writer:
    """Lines of C++, indented by the blocks they stand in."""

    def __init__(self):
        self.lines, self.depth = [], 0

    def add(self, text):
        for line in text.split("\n"):
            isPragma = line.startswith("#")
            self.lines.append(line if isPragma else "  " * self.depth + line)

    @contextlib.contextmanager
    def block(self, head="", tail=""):
        self.add((head + " {").strip())
        self.depth += 1
        yield
        self.depth -= 1
        self.add("}" + tail)

    def text(self):
        return "\n".join(self.lines) + "\n"
