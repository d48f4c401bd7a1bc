import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Collection } from '../../../shared/ipc/console.ts'
import { getCallAccess, matchCallTarget, type CallTarget } from '../../../shared/bridge/call-target.ts'
import {
  runSequence,
  createSteps,
  type SequencePorts,
  type SequenceStep,
} from '../../model/console/request-sequence.ts'
import { useCollections } from '../../stores/collections.ts'
import { readExchange } from '../../stores/exchange.ts'
import { toAppError } from '../../stores/errors.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { readWriteResponse, readResponseText, useWriteReview } from './write-review.ts'

interface CollectionRun {
  readonly steps: ShallowRef<readonly SequenceStep[]>
  readonly isRunning: Ref<boolean>
  /** Its file is no longer there, or cannot be read: nothing was sent. */
  readonly isMissing: Ref<boolean>
  start(): Promise<void>
  stop(): void
}

/** A run of a collection's requests, as its file has them when it starts; it ends with the component that started it. */
export function useCollectionRun(collection: () => Collection, all: () => readonly CallTarget[]): CollectionRun {
  const { t, te } = useI18n()
  const traffic = useTraffic()
  const collections = useCollections()
  const gate = useWriteReview(all)
  const steps = shallowRef(createSteps(collection().requests))
  const running = ref(false)
  const gone = ref(false)
  let mine = new AbortController()

  const outside: SequencePorts = {
    isRead: ({ method, path, body }) => getCallAccess(method, matchCallTarget(method, path, all()), body) === 'read',
    async send(request, signal) {
      const seq = await traffic.send({ ...request }, signal)
      const { row } = await readExchange({ seq }, signal)
      return { seq, operationId: null, status: row.status ?? 0, readBody: () => readResponseText(seq) }
    },
    async review(request, signal) {
      const hindrance = gate.findObstacle(request)
      if (hindrance) throw new Error(t(`console.cannot.${hindrance}`, { names: '' }))
      const operation = await gate.openReview(request, signal)
      return operation && readWriteResponse(operation)
    },
    describeError(thrown) {
      if (!(thrown instanceof Error)) return ''
      const { wire } = toAppError(thrown)
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
    const now = collections.findById(collection().id)
    gone.value = now === null
    steps.value = createSteps(now?.requests ?? [])
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
  return { steps, isRunning: running, isMissing: gone, start, stop }
}
