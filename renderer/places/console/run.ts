import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Collection } from '../../../shared/ipc/console.ts'
import { accessOf, matchOf, type Callable } from '../../../shared/bridge/callable.ts'
import { runSequence, stepsOf, type Outside, type Step } from '../../model/console/sequence.ts'
import { useCollections } from '../../stores/collections.ts'
import { readExchange } from '../../stores/exchange.ts'
import { asAppError } from '../../stores/errors.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { answerTo, textOf, useGate } from './gate.ts'

interface Run {
  readonly steps: ShallowRef<readonly Step[]>
  readonly running: Ref<boolean>
  /** Its file is no longer there, or cannot be read: nothing was sent. */
  readonly gone: Ref<boolean>
  start(): Promise<void>
  stop(): void
}

/** A run of a collection's requests, as its file has them when it starts; it ends with the component that started it. */
export function useRun(collection: () => Collection, all: () => readonly Callable[]): Run {
  const { t, te } = useI18n()
  const traffic = useTraffic()
  const collections = useCollections()
  const gate = useGate(all)
  const steps = shallowRef(stepsOf(collection().requests))
  const running = ref(false)
  const gone = ref(false)
  let mine = new AbortController()

  const outside: Outside = {
    reads: ({ method, path, body }) => accessOf(method, matchOf(method, path, all()), body) === 'read',
    async send(request, signal) {
      const seq = await traffic.send({ ...request }, signal)
      const { row } = await readExchange({ seq }, signal)
      return { seq, operation: null, status: row.status ?? 0, body: () => textOf(seq) }
    },
    async review(request, signal) {
      const hindrance = gate.hindrance(request)
      if (hindrance) throw new Error(t(`console.cannot.${hindrance}`, { names: '' }))
      const operation = await gate.review(request, signal)
      return operation && answerTo(operation)
    },
    said(thrown) {
      if (!(thrown instanceof Error)) return ''
      const { wire } = asAppError(thrown)
      const key = `errors.${wire.code ?? ''}`
      if (wire.kind === 'internal') return thrown.message
      return wire.kind !== 'host' && te(key) ? t(key, { ...wire.params }) : wire.message
    },
  }

  async function start(): Promise<void> {
    mine.abort()
    mine = new AbortController()
    const { signal } = mine
    running.value = true
    // Another program may have written to it since the list was read.
    await collections.load()
    if (signal.aborted) return
    const now = collections.byId(collection().id)
    gone.value = now === null
    steps.value = stepsOf(now?.requests ?? [])
    if (now)
      await runSequence(
        now.requests,
        now.variables,
        outside,
        (sofar) => signal.aborted || (steps.value = sofar),
        signal,
      )
    if (!signal.aborted) running.value = false
  }
  function stop(): void {
    mine.abort()
    running.value = false
    steps.value = steps.value.map((step) =>
      ['done', 'failed'].includes(step.state) ? step : { ...step, state: 'skipped' },
    )
  }
  onScopeDispose(() => mine.abort())
  return { steps, running, gone, start, stop }
}
