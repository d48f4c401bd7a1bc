import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/**
 * Creates a plugin that fails the build when the scripts that a page loads before its own first
 * line runs (its entry and everything it imports statically) take more than this, compressed. It
 * reads the files, because Vite adds a list of what is loaded late to the entry after all plugins.
 */
export function startSizePlugin(maxBytes: number): Plugin {
  return {
    name: 'bridge-inspector:start-size',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      const sizes = new Map<string, number>()
      const addFile = (file: string): void => {
        const output = bundle[file]
        if (output?.type !== 'chunk' || sizes.has(file)) return
        sizes.set(file, gzipSync(readFileSync(path.join(dir, file))).byteLength)
        output.imports.forEach(addFile)
      }
      for (const output of Object.values(bundle))
        if (output.type === 'chunk' && output.isEntry) addFile(output.fileName)
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
      if (total <= maxBytes) return
      const files = [...sizes].map(([file, size]) => `${file} ${size}`).join(', ')
      this.error(`The page loads ${total} bytes of scripts (gzip) before it starts, ${maxBytes} at most: ${files}`)
    },
  }
}
