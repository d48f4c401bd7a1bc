import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export interface Sheet {
  /** Cells that hold a formula. */
  readonly formulas: number
  /** The text of the first cells of each row. */
  readonly rows: readonly (readonly string[])[]
}

/**
 * Comma, quotes, UTF-8, from the first line, US English; quoted cells are not forced to text, and
 * formulas are evaluated.
 */
const IMPORT = 'CSV:44,34,76,1,,1033,false,true,false,false,false,0,true'

/** LibreOffice, where it is installed. `open` imports a CSV and returns what the sheet holds. */
export function spreadsheet(): { readonly available: boolean; open(name: string, csv: string): Sheet } {
  const available = spawnSync('soffice', ['--version'], { stdio: 'ignore' }).status === 0
  return {
    available,
    open(name, csv) {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-sheet-'))
      try {
        const file = path.join(folder, `${name}.csv`)
        writeFileSync(file, csv)
        const profile = `-env:UserInstallation=file://${folder}/profile`
        const convert = ['--headless', '--norestore', '--convert-to', 'fods', '--outdir', folder]
        const { status, stderr } = spawnSync('soffice', [profile, ...convert, `--infilter=${IMPORT}`, file], {
          encoding: 'utf8',
          timeout: 120_000,
        })
        if (status !== 0) throw new Error(`soffice ended with ${status}: ${stderr}`)
        return read(readFileSync(path.join(folder, `${name}.fods`), 'utf8'))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

/** Reads a sheet from flat OpenDocument. */
function read(xml: string): Sheet {
  const rows = [...xml.matchAll(/<table:table-row\b[^>]*>(.*?)<\/table:table-row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<table:table-cell\b[^>]*?(?:\/>|>(.*?)<\/table:table-cell>)/gs)].map(([, cell = '']) =>
      cell.replace(/<[^>]*>/g, '').trim(),
    ),
  )
  return {
    formulas: [...xml.matchAll(/\btable:formula=/g)].length,
    rows: rows.filter((row) => row.some((cell) => cell !== '')),
  }
}
