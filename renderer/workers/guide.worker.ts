import { splitGuide } from './guide-pieces.ts'
import { servePage } from './serve-page.ts'

let pieces: ReturnType<typeof splitGuide> | null = null

const methods = {
  open(markdown: string) {
    pieces = splitGuide(markdown)
  },
  /** Returns null after the last piece. */
  readNext: () => pieces?.next().value ?? null,
}

export type GuideMethods = typeof methods

servePage(methods)
