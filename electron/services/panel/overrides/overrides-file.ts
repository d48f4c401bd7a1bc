import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { OverrideRule, OverridesState } from '../../../../shared/panel/overrides.ts'
import { NotRegularFileError, readRegularFile } from '../../../system/regular-file.ts'
import type { TokenPredicate } from '../../console/collections.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { parseOverrides, toOverridesState, formatOverrides, type OverridesText } from './overrides-text.ts'

/** Nobody writes this much by hand; bodies of 8 MB are the largest part of a rule. */
const MAX_FILE_BYTES = 32 * 1024 * 1024
/** How often somebody else's change is looked for. */
const CHECK_DELAY_MS = 300

const none: OverridesText = { rules: [], foreignEntries: [] }

export interface OverridesFile {
  state(): OverridesState
  /**
   * Replaces the rules. Throws `TOKEN_IN_REQUEST`, `OVERRIDES_CHANGED` if somebody else has changed
   * the file since it was read (it is read again), `OVERRIDES_DAMAGED` if it is no file of
   * overrides, and `STORE_FAILED`.
   */
  save(rules: readonly OverrideRule[]): OverridesState
  close(): void
}

interface Options {
  readonly file: string
  /** In a folder of the user's own it is as readable as a new file there usually is. */
  readonly isShared: boolean
  readonly holdsToken: TokenPredicate
  /** The rules were changed by somebody else. */
  readonly onChange: (state: OverridesState) => void
}

/**
 * The file of overrides of one panel: read, watched, and written atomically. A file that is none is
 * never written to.
 */
export function openOverridesFile({ file, isShared: shared, holdsToken, onChange }: Options): OverridesFile {
  /** Null if there is no file, or none that can be read. */
  let known: string | null = null
  /** Why it could not be read. */
  let trouble: string | null = null
  let read: OverridesText = none
  /** Why the file is no file of overrides; null if it is one. */
  let damage: string | null = null
  look()

  /** Reads the file. Returns whether it has changed. */
  function look(): boolean {
    let text: string | null = null
    let problem: string | null = null
    try {
      text = readRegularFile(file, { maxBytes: MAX_FILE_BYTES }).text.replace(/^\uFEFF/, '')
    } catch (error) {
      if (error instanceof NotRegularFileError) problem = error.message
      else if (codeOf(error) !== 'ENOENT') problem = `it cannot be read (${codeOf(error)})`
    }
    if (text === known && problem === trouble) return false
    known = text
    trouble = problem
    const parsed = text === null ? none : parseOverrides(text, holdsToken)
    damage = problem ?? ('damage' in parsed ? parsed.damage : null)
    read = 'damage' in parsed ? none : parsed
    return true
  }

  const state = (): OverridesState => {
    const now = toOverridesState(file, read)
    return damage === null ? now : { ...now, problems: [{ index: -1, message: damage }] }
  }

  const endLooking = lookAgain(file, CHECK_DELAY_MS, () => {
    if (look()) onChange(state())
  })

  return {
    state,
    save(rules) {
      if (holdsToken(JSON.stringify(rules))) throw tokenInRule()
      if (look()) {
        onChange(state())
        throw createRefusedError('OVERRIDES_CHANGED', 'Somebody else has changed the file; it was read again.', {
          file,
        })
      }
      if (damage !== null) {
        throw createRefusedError(
          'OVERRIDES_DAMAGED',
          `${file} is not a file of overrides (${damage}); it is left as it is.`,
          {
            file,
            reason: damage,
          },
        )
      }
      if (known === null && rules.length === 0) return state()
      const text = formatOverrides(known, rules, read.foreignEntries)
      writeAtomic(file, text, { mode: modeOf(file) ?? (shared ? 0o644 : 0o600), backup: 'none' })
      look()
      return state()
    },
    close: endLooking,
  }
}

const tokenInRule = () =>
  createRefusedError(
    'TOKEN_IN_REQUEST',
    'It contains a token, and tokens are never written to a file. Leave it out of the rule.',
  )

/** The permissions of the file that is replaced; null if there is none. */
const modeOf = (file: string): number | null => {
  const there = statSync(file, { throwIfNoEntry: false })
  return there ? there.mode & 0o777 : null
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'

/**
 * Calls `look` whenever a file may have changed, and once at the beginning: what changes before the
 * first look is not missed, however late that comes. Asking works where no notification does:
 * network disks, files that are replaced or not there yet. Returns what ends it.
 */
function lookAgain(file: string, everyMs: number, look: () => void): () => void {
  let seen = ''
  let ended = false
  let timer = next()

  function next(): NodeJS.Timeout {
    return setTimeout(() => void ask(), everyMs).unref()
  }
  async function ask(): Promise<void> {
    const now = await stat(file, { bigint: true }).then(
      ({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join(),
      () => 'not to be had',
    )
    if (ended) return
    timer = next()
    if (now === seen) return
    seen = now
    look()
  }
  return () => {
    ended = true
    clearTimeout(timer)
  }
}
