import { cancelled, refused } from '../../shared/errors.ts'
import type { Reply } from '../../shared/ipc/wire.ts'
import { isObject } from '../../shared/json/object.ts'
import type { Door } from '../handlers/door.ts'

/** What the page reaches over IPC. */
export type CallDoor = Pick<Door, 'call' | 'cancel' | 'leave' | 'subscribe'>

/** Calls that may wait at once; the services take no more either. */
const MAX_WAITING = 256

interface Waiting {
  readonly caller: string
  readonly request: unknown
  readonly answer: (reply: Reply | Promise<Reply>) => void
}

interface EarlyDoor {
  readonly door: CallDoor
  /** Call once: what waits goes through, in the order in which it came. */
  open(door: CallDoor): void
}

/**
 * A door that is there before the services are: the page can run meanwhile. A call waits until then, unless it is cancelled or its caller
 * leaves; it is parsed only by the services, as untrusted as ever.
 */
export function createEarlyDoor(): EarlyDoor {
  let opened: CallDoor | null = null
  const waiting = new Set<Waiting>()
  const listeners = new Map<Parameters<CallDoor['subscribe']>[0], () => void>()

  function giveUp(which: (one: Waiting) => boolean): void {
    for (const one of waiting) {
      if (!which(one)) continue
      waiting.delete(one)
      one.answer({ ok: false, error: cancelled().wire })
    }
  }

  const door: CallDoor = {
    async call(caller, request) {
      if (opened) return opened.call(caller, request)
      if (waiting.size < MAX_WAITING) return new Promise((answer) => waiting.add({ caller, request, answer }))
      return { ok: false, error: refused('CALLS_TOO_MANY', 'Too many calls are under way at once.').wire }
    },
    cancel(caller, id) {
      if (opened) opened.cancel(caller, id)
      else giveUp((one) => one.caller === caller && isObject(one.request) && one.request['id'] === id)
    },
    leave(caller) {
      if (opened) opened.leave(caller)
      else giveUp((one) => one.caller === caller)
    },
    subscribe(listener) {
      if (opened) return opened.subscribe(listener)
      listeners.set(listener, () => undefined)
      return () => {
        listeners.get(listener)?.()
        listeners.delete(listener)
      }
    },
  }

  return {
    door,
    open(to) {
      opened = to
      // First, so that nothing is missed of what the calls bring about.
      for (const listener of listeners.keys()) listeners.set(listener, to.subscribe(listener))
      for (const { caller, request, answer } of waiting) answer(to.call(caller, request))
      waiting.clear()
    },
  }
}
