import type { BuildEnvironmentOptions } from 'vite'

/** How the page is built for both hosts: nothing inline (the policy forbids inline scripts), the large libraries apart. */
export function pageBuild(outDir: string): BuildEnvironmentOptions {
  return {
    outDir,
    emptyOutDir: true,
    target: 'chrome130',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  }
}
