import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { z } from 'zod'
import { LICENSES_FILE, type License } from '../../shared/licenses.ts'
import { pdfTerms } from './pdf-files.ts'

/** What the installers put next to the program, to be read without starting it. */
const TEXT_FILE = 'third-party-licenses.txt'

const isTerms = (file: string): boolean => /^(licen[cs]e|copying|notice)/i.test(file)

/**
 * By folder, across all builds of this process: main, preload, page and workers of the desktop app
 * are one program.
 */
const packages = new Map<string, License>()

/**
 * Records which packages a build takes modules or files from. With `emit`, for the last build, it
 * writes the complete list.
 */
export function licenses({ emit = false } = {}): Plugin {
  let root = ''
  return {
    name: 'bridge-inspector:licenses',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle)) {
        const from = part.type === 'chunk' ? part.moduleIds : part.originalFileNames
        for (const id of from) recordPackage(path.resolve(root, id.replace(/^\0/, '').replace(/\?.*$/s, '')))
      }
      if (!emit) return
      const list = [...packages.values()].sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1))
      this.emitFile({ type: 'asset', fileName: LICENSES_FILE, source: JSON.stringify(list) })
      this.emitFile({ type: 'asset', fileName: TEXT_FILE, source: formatLicenses(list) })
    },
  }
}

function recordPackage(file: string): void {
  const folder = packageOf(file)
  if (folder === null || packages.has(folder)) return
  packages.set(folder, licenseOf(folder))
}

/** The package that a file in node_modules belongs to: the folder below the last node_modules. */
export function packageOf(file: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@.][^\\/]*(?=[\\/])/s.exec(file)?.[0] ?? null
}

/** The parts of package.json that matter here; npm allows two forms for the author. */
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().min(1),
  author: z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]).optional(),
})

/**
 * What the package in this folder says about its license. Throws if it is unclear on what terms it
 * may be distributed.
 */
export function licenseOf(folder: string): License {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const { name, version, license: identifier, author } = manifestSchema.parse(manifest)
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isTerms(entry.name))
    .map(({ name }) => path.join(folder, name))
    // The files that the PDF reader fetches come from other authors.
    .concat(name === 'pdfjs-dist' ? pdfTerms : [])
    .map((file) => readFileSync(file, 'utf8').trim())
  if (texts.length === 0 && identifier !== 'MIT') {
    throw new Error(
      `${name} is licensed under ${identifier} but does not include the text: find out on what terms it may be distributed.`,
    )
  }
  const text = texts.length > 0 ? texts.join('\n\n') : createMitTerms(author ?? `the authors of ${name}`)
  return { name, version, identifier, text }
}

/** The terms for packages that name them but leave the text out. */
const createMitTerms = (holder: string): string => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const formatLicenses = (list: readonly License[]): string =>
  list
    .map(({ name, version, identifier, text }) => `${name} ${version} (${identifier})\n\n${text}`)
    .join(`\n\n${'-'.repeat(80)}\n\n`)
