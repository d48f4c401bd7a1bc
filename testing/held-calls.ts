import type { App } from '../electron/app-composition.ts'
import type { IpcCallFunction } from '../electron/core/agent-socket.ts'
import {
  breakpointRuleSchema,
  DEFAULT_WAIT_SECONDS,
  type BreakpointRule,
  type HeldCall,
  type HeldEdit,
} from '../shared/panel/breakpoints.ts'
import type * as api from './api.ts'
import { checkOptions, parseArgument } from './options.ts'
import { NodeAbortController, NodeAbortSignal } from '../electron/core/node-abort.ts'

type Headers = NonNullable<api.HeldEdit['headers']>

const JSON_HEADERS: Headers = [['Content-Type', 'application/json']]

/** Ids of rules for one call begin with this. */
const CATCHING_PREFIX = 'hold-'
const isCatchingRule = (id: string | null): boolean => id?.startsWith(CATCHING_PREFIX) ?? false

/** @param closed is aborted when the panel is closed */
export function createHeldCalls(
  call: IpcCallFunction,
  { dispatcher }: Pick<App, 'dispatcher'>,
  closed: AbortSignal,
): { readonly held: api.HeldCalls; readonly hold: api.PanelSession['hold'] } {
  let setRules: readonly BreakpointRule[] = []
  const catchingRules = new Map<string, BreakpointRule>()
  let catchCount = 0

  const saveRules = async (): Promise<void> => {
    await call('breakpoints.save', { rules: [...catchingRules.values(), ...setRules] })
  }
  const list = async (): Promise<HeldCall[]> => (await call('breakpoints.get', {})).held

  async function waitForCall(isAwaited: (heldCall: HeldCall) => boolean): Promise<HeldCall> {
    for (;;) {
      if (closed.aborted) throw new Error('The panel is closed.')
      // The listener is there before the list is read, so that no call is missed in between.
      const abort = new NodeAbortController()
      const changed = waitForTopic(dispatcher, 'breakpoints.changed', NodeAbortSignal.any([abort.signal, closed]))
      const awaitedCall = (await list()).find(isAwaited)
      if (awaitedCall) {
        abort.abort()
        return awaitedCall
      }
      await changed
    }
  }

  async function catchCall(rule: BreakpointRule): Promise<api.CaughtCall> {
    try {
      await saveRules()
      const caughtCall = await waitForCall((heldCall) => heldCall.rule === rule.id)
      const { id } = caughtCall
      return {
        ...toHeldCall(caughtCall),
        continue: (edit) => heldCalls.continue(id, edit),
        respond: (response) => heldCalls.respond(id, response),
        abort: () => heldCalls.fail(id),
      }
    } finally {
      catchingRules.delete(rule.id)
      await (closed.aborted ? null : saveRules())
    }
  }

  const heldCalls: api.HeldCalls = {
    async set(breakpoints) {
      setRules = breakpoints.map((breakpoint, index) => toRule(breakpoint, `breakpoints[${index}]`))
      await saveRules()
    },
    list: async () => (await list()).map(toHeldCall),
    next: async () => toHeldCall(await waitForCall(({ rule }) => !isCatchingRule(rule))),
    async continue(id, edit) {
      const resumption = { kind: 'continue' as const, ...(edit ? { edit: toEdit(edit) } : {}) }
      await call('breakpoints.resume', { id, resumption })
    },
    async respond(id, { status = 200, headers = JSON_HEADERS, body }) {
      await call('breakpoints.resume', {
        id,
        resumption: { kind: 'answer', status, headers: toPairs(headers), body },
      })
    },
    async fail(id) {
      await call('breakpoints.resume', { id, resumption: { kind: 'fail' } })
    },
  }

  return {
    held: heldCalls,
    hold(match, options = {}) {
      checkOptions('hold', options)
      catchCount += 1
      const rule = toRule({ match: { nth: 1, ...match }, ...options }, `${CATCHING_PREFIX}${catchCount}`, 'hold')
      catchingRules.set(rule.id, rule)
      const catching = catchCall(rule)
      // A test may fail before it awaits the call; its process must not end by that.
      catching.catch(() => undefined)
      return catching
    },
  }
}

/** @throws TypeError that names what is wrong */
function toRule({ match, ...others }: api.Breakpoint, id: string, label = id): BreakpointRule {
  return parseArgument(label, breakpointRuleSchema, {
    at: 'response',
    isErrorOnly: false,
    waitSeconds: DEFAULT_WAIT_SECONDS,
    ...others,
    id,
    on: true,
    match: { ...match, method: (match as api.CallMatch | undefined)?.method ?? '*' },
  })
}

const toHeldCall = ({ id, point, method, path, status }: HeldCall): api.HeldCall => ({
  id,
  point,
  method,
  path,
  status,
})

/** Resolves with the next message about a topic, or when the signal is aborted. */
function waitForTopic(dispatcher: App['dispatcher'], awaited: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe()
      resolve()
    }
    const unsubscribe = dispatcher.subscribe(({ topic }) => topic === awaited && end())
    signal.addEventListener('abort', end, { once: true })
  })
}

const toEdit = ({ headers, ...edit }: api.HeldEdit): HeldEdit => ({
  ...edit,
  ...(headers ? { headers: toPairs(headers) } : {}),
})

const toPairs = (headers: Headers): [name: string, value: string][] => headers.map(([name, value]) => [name, value])
