import type { OverridableCall, ProgramRule } from '../electron/app-composition.ts'
import { isObject } from '../shared/json/object.ts'
import { overrideRuleSchema, type OverrideRule } from '../shared/panel/overrides.ts'
import {
  createCountingMatcher,
  parseQueryParameters,
  splitQuery,
  readPathParameters,
  type CallConditions,
} from '../shared/panel/call-match.ts'
import type * as api from './api.ts'
import { callMatch, checkOptions, parseArgument } from './options.ts'

/** The overrides of a test, in the order in which they are tried. */
export class OverrideList implements Iterable<ProgramRule> {
  readonly #addedRules: ProgramRule[] = []
  #fixedRules: readonly ProgramRule[] = []
  #isClosed = false

  /** Sets the overrides that are tried last. @throws TypeError that names a rule's mistake */
  setFixed(overrides: readonly api.Override[]): void {
    this.#fixedRules = overrides.map((override, index) => {
      const rule = toOverrideRule(override, `overrides[${index}]`)
      return { rule, fits: createCountingMatcher(rule.match), choose: () => Promise.resolve(rule) }
    })
  }

  /** From now on, `add` throws: no call of a page is left that an override could respond to. */
  close(): void {
    this.#isClosed = true
  }

  [Symbol.iterator](): Iterator<ProgramRule> {
    return [...this.#addedRules, ...this.#fixedRules][Symbol.iterator]()
  }

  /**
   * Adds an override that is tried before all others.
   * @throws TypeError that names what is wrong with an argument
   * @throws Error after `close`
   */
  add(...[match, response, options = {}]: Parameters<api.PanelSession['override']>): api.AddedOverride {
    if (this.#isClosed) throw new Error('The panel is closed, so override() changes nothing. Add it before close().')
    checkOptions('override', options)
    const { once = false, until, name, delayMs } = options
    const conditions = parseArgument('override', callMatch, match)
    const isEnd = until && createCountingMatcher(parseArgument('until', callMatch, until))
    const isMatch = createCountingMatcher(conditions)
    const label = name ?? `${conditions.method} ${conditions.path}`
    const toRule = (chosen: api.OverrideAnswer): OverrideRule =>
      toOverrideRule({ name: label, match, answer: chosen, delayMs: delayMs ?? 0 }, 'override')
    const fixedRule = typeof response === 'function' ? null : toRule(response)
    let count = 0
    let isTaken = false

    const remove = (): void => {
      const index = this.#addedRules.indexOf(rule)
      if (index >= 0) this.#addedRules.splice(index, 1)
    }
    const chooseRule = async (call: OverridableCall): Promise<OverrideRule | null> => {
      if (fixedRule || typeof response !== 'function') return fixedRule
      const chosen = await rejectOnAbort(call.signal, response(toRequest(call, conditions)))
      return chosen === undefined ? null : toRule(chosen)
    }
    const rule: ProgramRule = {
      rule: fixedRule,
      fits: (call, load) => {
        if (isEnd?.(call, load)) remove()
        return this.#addedRules.includes(rule) && isMatch(call, load)
      },
      async choose(call) {
        if (isTaken) return null
        // Of calls at the same time, only one asks the handler of a response for one call.
        isTaken = once
        const chosen = await chooseRule(call).catch((error: unknown) => toRule(createFailure(label, error)))
        isTaken = once && chosen !== null
        if (chosen === null) return null
        count += 1
        if (once) remove()
        return chosen
      },
    }
    this.#addedRules.unshift(rule)
    return {
      get count() {
        return count
      },
      remove,
      [Symbol.dispose]: remove,
    }
  }
}

/** A handler that never responds must not outlive a call that the page gave up. */
function rejectOnAbort<Value>(signal: AbortSignal, value: Value | PromiseLike<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('The page gave the call up.'))
    signal.addEventListener('abort', onAbort, { once: true })
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function toRequest(call: OverridableCall, { path: template }: CallConditions): api.OverriddenRequest {
  const { method, path, headers, bodyText, getBody } = call
  const value = getBody?.()
  return {
    method,
    path,
    params: readPathParameters(template, path),
    query: Object.fromEntries(parseQueryParameters(splitQuery(path)[1])),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: value === undefined ? (bodyText ?? undefined) : value,
  }
}

const createFailure = (label: string, error: unknown): api.OverrideAnswer => ({
  status: 502,
  body: {
    error: {
      code: 'OVERRIDE_FAILED',
      message: `The handler of the override “${label}” failed: ${error instanceof Error ? error.message : String(error)}`,
    },
  },
})

/**
 * Fills in what a test may leave out of a rule.
 * @throws TypeError that names the rule and what is wrong with it
 */
function toOverrideRule({ name, match, answer, delayMs = 0, ...others }: api.Override, label: string): OverrideRule {
  // A test without types may leave out any member.
  const { method = '*', path } = (match as Partial<api.CallMatch> | undefined) ?? {}
  return parseArgument(label, overrideRuleSchema, {
    ...others,
    id: label,
    name: name ?? `${method} ${path}`,
    on: true,
    match: { ...match, method },
    answer: fillResponse(answer),
    delayMs,
  })
}

function fillResponse(response: api.OverrideAnswer): unknown {
  // A test without types may give any value.
  if (!isObject(response) || (response.kind !== undefined && response.kind !== 'canned')) return response
  const { body, ...others } = response
  return {
    status: 200,
    headers: [['Content-Type', 'application/json']],
    base64: false,
    ...others,
    kind: 'canned',
    body: typeof body === 'string' ? body : JSON.stringify(body ?? null),
  }
}
