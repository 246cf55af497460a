# lp_embed_text(TARGET FILE): FILE as a C++ raw string in <name>.inc, made in the
# build folder when FILE changes and put on TARGET's include path.
function(lp_embed_text target file)
  get_filename_component(name ${file} NAME)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.inc)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUT=${out}
            -P ${PROJECT_SOURCE_DIR}/tool/cmake/EmbedText.cmake
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/tool/cmake/EmbedText.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()

# lp_embed_pages(TARGET NAME FILES...): several files as a list of raw strings in
# NAME.inc, for the initialiser of an array.
function(lp_embed_pages target name)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.inc)
  string(REPLACE ";" "|" files "${ARGN}")
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DIN=${files}" -DOUT=${out}
            -P ${PROJECT_SOURCE_DIR}/tool/cmake/EmbedPages.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/tool/cmake/EmbedPages.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
