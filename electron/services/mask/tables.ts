import type { Form } from './forms.ts'
import { KNOWN_BY } from './forms.ts'

/** Tells from two bytes how far away the next place is at which a form can begin (the Wu–Manber algorithm). */
export interface Tables {
  /** Bytes examined together: no form is shorter. */
  readonly width: number
  /** By the last two bytes of a window: how many bytes to skip; 0 if a form may begin where the window does. */
  readonly shifts: Uint8Array
  /** By the first two characters of a form, `first << 7 | second`: 1 if there is such a form. */
  readonly firsts: Uint8Array
}

export function buildTables(forms: readonly Form[]): Tables {
  const width = Math.min(KNOWN_BY, ...forms.map(({ codes }) => codes.length))
  const shifts = new Uint8Array(65_536).fill(width - 1)
  const firsts = new Uint8Array(16_384)
  for (const { codes } of forms) {
    firsts[((codes[0] ?? 0) << 7) | (codes[1] ?? 0)] = 1
    for (let at = 0; at + 1 < width; at += 1) {
      for (const first of bothCases(codes[at] ?? 0)) {
        for (const second of bothCases(codes[at + 1] ?? 0)) {
          const pair = (first << 8) | second
          shifts[pair] = Math.min(shifts[pair] ?? 0, width - 2 - at)
        }
      }
    }
  }
  return { width, shifts, firsts }
}

const bothCases = (code: number): number[] => (code >= 97 && code <= 122 ? [code, code - 32] : [code])
