target triple = "amdgcn-amd-amdhsa"

; An instruction that is its own operand.
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = add i32 %x, 1
  store i32 %x, ptr addrspace(1) %p
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
