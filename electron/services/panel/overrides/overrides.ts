// Responds to a panel's calls as the user's override rules define. Whether a call may be overridden
// is decided in panel/policy. Read this file first, then rule-response.ts.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import { createCountingMatcher, withBodyParsedOnce } from '../../../../shared/panel/call-match.ts'
import { OVERRIDES_FILE, type OverrideRule, type OverridesState } from '../../../../shared/panel/overrides.ts'
import type { PanelSource } from '../../../../shared/panel/panel.ts'
import type { TokenPredicate } from '../../console/collections.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'
import type { AppliedOverrides, ProgramRule } from '../call/types.ts'
import { createRuleResponse } from './rule-response.ts'
import { createRuleFromExchange } from './recorded-rule.ts'
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { NotRegularFileError, readRegularFile } from '../../../system/regular-file.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { parseOverrides, toOverridesState, formatOverrides, type ParsedOverrides } from './overrides-text.ts'

/** Files written by hand are smaller; bodies of up to 8 MB are the largest part of a rule. */
const MAX_FILE_BYTES = 32 * 1024 * 1024
/** Interval in which the file is checked for changes by other programs. */
const CHECK_DELAY_MS = 300

const NO_RULES: ParsedOverrides = { rules: [], foreignEntries: [] }

interface OverridesFile {
  state(): OverridesState
  /**
   * Replaces the rules.
   * @throws TOKEN_IN_REQUEST; OVERRIDES_CHANGED when a different program has changed the file since
   *   it was read (the file is then read again); OVERRIDES_DAMAGED when the file contains no
   *   overrides; STORE_FAILED.
   */
  save(rules: readonly OverrideRule[]): OverridesState
  close(): void
}

interface Options {
  readonly file: string
  /**
   * True for a file in the user's own folder. If the file is created, all users can read it, as is
   * usual for new files there; an existing file keeps its permissions.
   */
  readonly isShared: boolean
  readonly holdsToken: TokenPredicate
  /** Called when a different program has changed the rules. */
  readonly onChange: (state: OverridesState) => void
}

/** Read, watched and written atomically; never overwritten if it contains anything else. */
function openOverridesFile({ file, isShared, holdsToken, onChange }: Options): OverridesFile {
  /** Null if there is no readable file. */
  let fileText: string | null = null
  /** The reason why the file could not be read. */
  let readProblem: string | null = null
  let parsedFile: ParsedOverrides = NO_RULES
  /** The reason why the file contains no overrides; null if it contains overrides. */
  let damage: string | null = null
  reloadIfChanged()

  /** Returns true if the file has changed. */
  function reloadIfChanged(): boolean {
    let text: string | null = null
    let problem: string | null = null
    try {
      text = readRegularFile(file, { maxBytes: MAX_FILE_BYTES }).text.replace(/^\uFEFF/, '')
    } catch (error) {
      if (error instanceof NotRegularFileError) problem = error.message
      else if (errorCodeOf(error) !== 'ENOENT') problem = `it cannot be read (${errorCodeOf(error)})`
    }
    if (text === fileText && problem === readProblem) return false
    fileText = text
    readProblem = problem
    const parsed = text === null ? NO_RULES : parseOverrides(text, holdsToken)
    damage = problem ?? ('damage' in parsed ? parsed.damage : null)
    parsedFile = 'damage' in parsed ? NO_RULES : parsed
    return true
  }

  const state = (): OverridesState => {
    const parsedState = toOverridesState(file, parsedFile)
    return damage === null ? parsedState : { ...parsedState, problems: [{ index: -1, message: damage }] }
  }

  const stopPolling = pollForChanges(file, CHECK_DELAY_MS, () => {
    if (reloadIfChanged()) onChange(state())
  })

  return {
    state,
    save(rules) {
      if (holdsToken(JSON.stringify(rules))) throw createTokenInRuleError()
      if (reloadIfChanged()) {
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
      if (fileText === null && rules.length === 0) return state()
      const text = formatOverrides(fileText, rules, parsedFile.foreignEntries)
      writeAtomic(file, text, { mode: getFileMode(file) ?? (isShared ? 0o644 : 0o600), backup: 'none' })
      reloadIfChanged()
      return state()
    },
    close: stopPolling,
  }
}

const createTokenInRuleError = () =>
  createRefusedError(
    'TOKEN_IN_REQUEST',
    'It contains a token, and tokens are never written to a file. Leave it out of the rule.',
  )

/** The permissions of the existing file; null if there is none. */
const getFileMode = (file: string): number | null => {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats ? stats.mode & 0o777 : null
}

const errorCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'

/**
 * Calls `onPossibleChange` whenever a file may have changed, and once at the beginning, so that
 * changes before the first check are not missed. A change counts once two checks in a row find the
 * same version: a program that writes the file in place empties it first. Polling also works where
 * the system sends no notifications: on network disks, for replaced files and for files that do not
 * exist yet. Returns a function that stops the polling.
 */
function pollForChanges(file: string, everyMs: number, onPossibleChange: () => void): () => void {
  let lastVersion = ''
  let reportedVersion = ''
  let isEnded = false
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return setTimeout(() => void check(), everyMs).unref()
  }
  async function check(): Promise<void> {
    const version = await stat(file, { bigint: true }).then(
      ({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join(),
      () => 'not to be had',
    )
    if (isEnded) return
    timer = schedule()
    const isSettled = version === lastVersion
    lastVersion = version
    if (!isSettled || version === reportedVersion) return
    reportedVersion = version
    onPossibleChange()
  }
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}

interface OverridesOptions {
  readonly dataDir: string
  readonly holdsToken: TokenPredicate
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
  /** Rules for every panel that are tried before those of its file. They are not in the state. */
  readonly firstRules?: Iterable<ProgramRule>
  /** The rules changed in the app or in the file, or a different panel was opened. */
  readonly onChange: (state: OverridesState) => void
}

/** The errors are those of `shared/ipc/panel.ts`. */
export interface Overrides extends AppliedOverrides {
  /** Loads the rules of a panel; null for no panel. */
  open(source: PanelSource | null): void
  state(): OverridesState
  countRules(): { on: number; all: number }
  /** @throws NO_PANEL, and the errors of `OverridesFile.save`. */
  save(rules: readonly OverrideRule[]): OverridesState
  createRuleFrom(seq: number): Promise<OverrideRule>
  close(): void
}

const NO_OVERRIDES: OverridesState = { rules: [], file: '', problems: [] }

/** Rules of a folder are in its `bridge-overrides.json`, others in the data directory. */
export function createOverrides({
  dataDir,
  holdsToken,
  store,
  firstRules = [],
  onChange,
}: OverridesOptions): Overrides {
  let file: OverridesFile | null = null
  let activeRules: readonly ProgramRule[] = []

  const state = (): OverridesState => file?.state() ?? NO_OVERRIDES

  function applyState(newState: OverridesState): OverridesState {
    activeRules = newState.rules.filter(({ on }) => on).map(toProgramRule)
    onChange(newState)
    return newState
  }

  return {
    open(source) {
      file?.close()
      const fileOptions = source && { file: getOverridesPath(dataDir, source), isShared: source.kind === 'folder' }
      file = fileOptions && openOverridesFile({ ...fileOptions, holdsToken, onChange: applyState })
      applyState(state())
    },
    state,
    countRules: () => ({ on: [...firstRules].length + activeRules.length, all: state().rules.length }),
    save(rules) {
      if (!file) throw createRefusedError('NO_PANEL', 'Open a panel first: its overrides are kept beside it.')
      return applyState(file.save(rules))
    },
    createRuleFrom: (seq) => createRuleFromExchange(store, seq),
    async findRule(call, load) {
      const overridableCall = { ...call, ...withBodyParsedOnce(call) }
      // Every rule counts the call, also one whose predecessor responds to it.
      const fittingRules = [...firstRules, ...activeRules].filter(({ fits }) => fits(overridableCall, load))
      for (const { choose } of fittingRules) {
        const rule = await choose(overridableCall)
        if (rule !== null) return rule
      }
      return null
    },
    respond: createRuleResponse,
    close() {
      file?.close()
      file = null
    },
  }
}

const toProgramRule = (rule: OverrideRule): ProgramRule => ({
  rule,
  fits: createCountingMatcher(rule.match),
  choose: () => Promise.resolve(rule),
})

export function getOverridesPath(dataDir: string, source: PanelSource): string {
  if (source.kind === 'folder') return path.join(source.path, OVERRIDES_FILE)
  const name = source.kind === 'sample' ? source.name : serverName(source.url)
  return path.join(dataDir, 'panel-overrides', `${name}.json`)
}

/** Converts the URL of a development server to a unique file name that is valid on every system. */
function serverName(url: string): string {
  const { host, href } = new URL(url)
  return `${host.replace(/[^\w.-]/g, '-')}-${createHash('sha256').update(href).digest('hex').slice(0, 8)}`
}
