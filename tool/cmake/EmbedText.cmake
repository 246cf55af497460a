file(READ "${IN}" text)
file(WRITE "${OUT}" "R\"lp_embedded(${text})lp_embedded\"\n")
