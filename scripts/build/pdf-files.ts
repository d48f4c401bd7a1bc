import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const library = fileURLToPath(new URL('../../node_modules/pdfjs-dist', import.meta.url))

/**
 * The PDF reader fetches these files when a document needs them, by folder of its package: decoders
 * for JBIG2, CCITT and JPEG 2000 (without WebAssembly, which the page's policy forbids), character
 * maps and the standard fonts, with the license of each.
 */
const wantedFiles: Readonly<Record<string, RegExp>> = {
  cmaps: /\.bcmap$|^LICENSE/,
  standard_fonts: /\.(?:pfb|ttf)$|^LICENSE/,
  wasm: /^(?:jbig2|openjpeg)_nowasm_fallback\.js$|^LICENSE_(?:PDFJS_)?(?:JBIG2|OPENJPEG)$/,
}

const files: ReadonlyMap<string, string> = new Map(
  Object.entries(wantedFiles).flatMap(([folder, names]) =>
    readdirSync(path.join(library, folder))
      .filter((name) => names.test(name))
      .map((name) => [`pdf/${folder}/${name}`, path.join(library, folder, name)]),
  ),
)

export const pdfLicenseFiles: readonly string[] = [...files]
  .filter(([name]) => /\/LICENSE/.test(name))
  .map(([, file]) => file)

/**
 * Creates a plugin that puts the files next to the page, below `/pdf/`; a development server serves
 * them from their package.
 */
export function pdfFilesPlugin(): Plugin {
  return {
    name: 'bridge-inspector:pdf',
    generateBundle() {
      for (const [fileName, file] of files) this.emitFile({ type: 'asset', fileName, source: readFileSync(file) })
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = files.get((request.url ?? '').replace(/^\/|\?.*$/g, ''))
        if (file === undefined) return next()
        response.setHeader('Content-Type', file.endsWith('.js') ? 'text/javascript' : 'application/octet-stream')
        response.end(readFileSync(file))
      })
    },
  }
}
