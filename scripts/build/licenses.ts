import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { z } from 'zod'
import { LICENSES_FILE, type License } from '../../shared/licenses.ts'
import { pdfLicenseFiles } from './pdf-files.ts'

/**
 * The installers put this file next to the program, so that users can read it without starting the
 * program.
 */
const TEXT_FILE = 'third-party-licenses.txt'

const isTerms = (file: string): boolean => /^(licen[cs]e|copying|notice)/i.test(file)

/**
 * Packages are collected by folder across all builds of this process, because main, preload, page
 * and workers of the desktop app are one program.
 */
const packages = new Map<string, License>()

/**
 * Records which packages a build takes modules or files from. With `emit`, for the last build, it
 * writes the complete list.
 */
export function licensesPlugin({ emit = false } = {}): Plugin {
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
  const folder = findPackageFolder(file)
  if (folder === null || packages.has(folder)) return
  packages.set(folder, readPackageLicense(folder))
}

/** Returns the folder of the package in node_modules to which a file belongs, or null. */
export function findPackageFolder(file: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@.][^\\/]*(?=[\\/])/s.exec(file)?.[0] ?? null
}

/** Only these parts of package.json matter here; npm allows two forms for the author. */
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().min(1),
  author: z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]).optional(),
})

/**
 * Reads the license of the package in this folder.
 *
 * @throws Error when it is unclear on what terms the package may be distributed.
 */
export function readPackageLicense(folder: string): License {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const { name, version, license: identifier, author } = manifestSchema.parse(manifest)
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isTerms(entry.name))
    .map(({ name }) => path.join(folder, name))
    // Other authors wrote the files that the PDF reader fetches.
    .concat(name === 'pdfjs-dist' ? pdfLicenseFiles : [])
    .map((file) => readFileSync(file, 'utf8').trim())
  if (texts.length === 0 && identifier !== 'MIT') {
    throw new Error(
      `${name} is licensed under ${identifier} but does not include the text: find out on what terms it may be distributed.`,
    )
  }
  const text = texts.length > 0 ? texts.join('\n\n') : createMitTerms(author ?? `the authors of ${name}`)
  return { name, version, identifier, text }
}

/** Creates the license text for packages that name the MIT license but leave its text out. */
const createMitTerms = (holder: string): string => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const formatLicenses = (list: readonly License[]): string =>
  list
    .map(({ name, version, identifier, text }) => `${name} ${version} (${identifier})\n\n${text}`)
    .join(`\n\n${'-'.repeat(80)}\n\n`)
