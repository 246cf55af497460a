// Texture and surface reads by object: declarations only, so that sources that use them parse.
#pragma once
#include "texture_types.h"

template <typename T> __device__ T tex1Dfetch(cudaTextureObject_t texture, int x);
template <typename T> __device__ T tex1D(cudaTextureObject_t texture, float x);
template <typename T> __device__ T tex2D(cudaTextureObject_t texture, float x, float y);
template <typename T> __device__ T tex3D(cudaTextureObject_t texture, float x, float y, float z);
template <typename T>
__device__ T tex1DLod(cudaTextureObject_t texture, float x, float level);
template <typename T>
__device__ T tex2DLod(cudaTextureObject_t texture, float x, float y, float level);
template <typename T>
__device__ T tex2DLayered(cudaTextureObject_t texture, float x, float y, int layer);
template <typename T>
__device__ T texCubemap(cudaTextureObject_t texture, float x, float y, float z);
template <typename T>
__device__ T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0);
template <typename T>
__device__ void tex1Dfetch(T *result, cudaTextureObject_t texture, int x);
template <typename T>
__device__ void tex2D(T *result, cudaTextureObject_t texture, float x, float y);

template <typename T>
__device__ T surf1Dread(cudaSurfaceObject_t surface, int x,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <typename T>
__device__ T surf2Dread(cudaSurfaceObject_t surface, int x, int y,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <typename T>
__device__ void surf2Dread(T *result, cudaSurfaceObject_t surface, int x, int y,
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <typename T>
__device__ void surf1Dwrite(T value, cudaSurfaceObject_t surface, int x,
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <typename T>
__device__ void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x, int y,
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
template <typename T>
__device__ void surf3Dwrite(T value, cudaSurfaceObject_t surface, int x, int y, int z,
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
