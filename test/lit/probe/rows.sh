#!/bin/sh
# rows.sh OBJDUMP TABLE COLUMN PROBE OBJECT: each MFMA row of the table that has cycles in
# the chip's column must be a row of the probe and an instruction of its code object.
objdump=$1 table=$2 column=$3 probe=$4 object=$5
"$objdump" -d "$object" | grep -o 'v_mfma_[a-z0-9_]*' | sed 's/_//g' | sort -u > "$object.mfma"
# Fields from the right: second source, source, then the four chips' cycles.
sed -n 's/^MFMA(\(.*\))$/\1/p' "$table" |
  awk -F', *' -v c="$column" '$(NF - 6 + c) != 0 { gsub(/"/, ""); print $1 }' > "$object.rows"
[ -s "$object.rows" ] || { echo "no rows in $table"; exit 1; }
while read -r name; do
  grep -q "{\"$name\"" "$probe" || { echo "no row for $name"; exit 1; }
  # gfx90a writes neither block counts nor all underscores; bf16 has _1k there;
  # the suffix names a format.
  plain=$(echo "$name" | sed -e 's/\.[a-z0-9]*$//' -e 's/_[0-9]*b_/_/' -e 's/_//g')
  grep -q "^$plain\(1k\)\{0,1\}$" "$object.mfma" ||
    grep -q "^$(echo "$name" | sed -e 's/\.[a-z0-9]*$//' -e 's/_//g')$" "$object.mfma" ||
    { echo "no instruction for $name"; exit 1; }
done < "$object.rows"
echo "$(wc -l < "$object.rows") rows present"
