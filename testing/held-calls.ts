import type { App } from '../electron/app-composition.ts'
import type { IpcCallFunction } from '../electron/core/agent-socket.ts'
import { breakpointRuleSchema, DEFAULT_WAIT_SECONDS, type HeldEdit } from '../shared/panel/breakpoints.ts'
import type * as api from './api.ts'
import { NodeAbortController, NodeAbortSignal } from '../electron/core/node-abort.ts'

type Headers = NonNullable<api.HeldEdit['headers']>

const JSON_HEADERS: Headers = [['Content-Type', 'application/json']]

/** @param closed is aborted when the panel is closed */
export function createHeldCalls(
  call: IpcCallFunction,
  { dispatcher }: Pick<App, 'dispatcher'>,
  closed: AbortSignal,
): api.HeldCalls {
  const list = async (): Promise<api.HeldCall[]> => (await call('breakpoints.get', {})).held
  return {
    async set(breakpoints) {
      const rules = breakpoints.map(({ match, ...rest }, index) =>
        breakpointRuleSchema.parse({
          id: `breakpoint-${index + 1}`,
          on: true,
          at: 'response',
          isErrorOnly: false,
          waitSeconds: DEFAULT_WAIT_SECONDS,
          ...rest,
          match: { ...match, method: match.method ?? '*' },
        }),
      )
      await call('breakpoints.save', { rules })
    },
    list,
    async next() {
      for (;;) {
        if (closed.aborted) throw new Error('The panel is closed.')
        // The listener is there before the list is read, so that no call is missed in between.
        const abort = new NodeAbortController()
        const changed = waitForTopic(dispatcher, 'breakpoints.changed', NodeAbortSignal.any([abort.signal, closed]))
        const [first] = await list()
        if (first) {
          abort.abort()
          return first
        }
        await changed
      }
    },
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
}

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
