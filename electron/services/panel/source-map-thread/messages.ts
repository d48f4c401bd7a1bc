import type { ThreadReply } from '../../../system/thread-questions.ts'

/** A position in an original source, as the map gives it: `line` from 1, `column` from 0. */
export interface MappedPosition {
  readonly source: string
  readonly line: number
  readonly column: number
  /** True if the source map lists the source as one to be ignored by debuggers. */
  readonly isIgnored: boolean
  /** Null if it was not asked for, or if the source map does not contain the source's text. */
  readonly text: string | null
}

/** Questions to the thread that parses source maps. The address of its script names a map. */
export interface SourceMapQuestions {
  /** @throws what is wrong with the map */
  add(address: string, scriptText: string, mapText: string, mapUrl: string): null
  /** Returns null for a position without an original, or of a map that was not added. */
  find(
    address: string,
    position: { readonly line: number; readonly column: number },
    isTextWanted: boolean,
  ): MappedPosition | null
  /**
   * Finds the original name of a function by the code that calls it: a source map names the
   * identifiers that a bundler renamed. Returns null unless the script has the compiled name at
   * exactly this position, since the caller may have called something else.
   */
  findName(
    address: string,
    position: { readonly line: number; readonly column: number },
    compiledName: string,
  ): string | null
  remove(addresses: readonly string[]): null
}

export interface SourceMapOrder {
  readonly id: number
  readonly question: keyof SourceMapQuestions
  readonly input: readonly unknown[]
}

export type SourceMapReport = ThreadReply
