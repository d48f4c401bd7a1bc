import { onScopeDispose, ref, shallowRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { Collection } from '../../../shared/ipc/console.ts'
import { getCallAccess, matchCallTarget, type CallTarget } from '../../../shared/bridge/call-target.ts'
import { runSequence, createSequenceSteps, type SequencePorts } from '../../../shared/collections/request-sequence.ts'
import { evaluateAssertions } from '../../../shared/collections/assertion-result.ts'
import { useCollections } from '../../stores/collections.ts'
import { checkAssertions, readExchange } from '../../stores/exchange.ts'
import { toAppError } from '../../stores/errors.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { readWriteResponse, readResponseText, useWriteReview } from './write-review.ts'

/** Runs the requests as in the file at the start. Aborted when the component unmounts. */
export function useCollectionRun(collection: () => Collection, listTargets: () => readonly CallTarget[]) {
  const { t, te } = useI18n()
  const traffic = useTraffic()
  const collections = useCollections()
  const writeReview = useWriteReview(listTargets)
  const steps = shallowRef(createSequenceSteps(collection().requests))
  const isRunning = ref(false)
  const isMissing = ref(false)
  let controller = new AbortController()

  const ports: SequencePorts = {
    isRead: ({ method, path, body }) =>
      getCallAccess(method, matchCallTarget(method, path, listTargets()), body) === 'read',
    async send(request, signal) {
      const seq = await traffic.send({ ...request }, signal)
      const { row } = await readExchange({ seq }, signal)
      return { seq, operationId: null, status: row.status ?? 0, readBody: () => readResponseText(seq) }
    },
    async review(request, signal) {
      const obstacle = writeReview.findObstacle(request)
      if (obstacle) throw new Error(t(`console.cannot.${obstacle}`, { names: '' }))
      const operation = await writeReview.openReview(request, signal)
      return operation && readWriteResponse(operation)
    },
    async checkAssertions({ assertions }, variables, { seq, status }) {
      if (seq !== null) return checkAssertions(seq, assertions, variables, controller.signal)
      // A response that was not recorded is known by its status only.
      return evaluateAssertions(assertions, variables, { status, durationMs: null, endpointId: null, body: null })
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
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    isRunning.value = true
    // Another program may have changed the file since the list was read.
    await collections.load()
    if (signal.aborted) return
    const savedCollection = collections.findById(collection().id)
    isMissing.value = savedCollection === null
    steps.value = createSequenceSteps(savedCollection?.requests ?? [])
    if (savedCollection)
      await runSequence(
        savedCollection.requests,
        savedCollection.variables,
        ports,
        (progress) => signal.aborted || (steps.value = progress),
        signal,
      )
    if (!signal.aborted) isRunning.value = false
  }
  function stop(): void {
    controller.abort()
    isRunning.value = false
    steps.value = steps.value.map((step) =>
      ['done', 'failed'].includes(step.state) ? step : { ...step, state: 'skipped' },
    )
  }
  onScopeDispose(() => controller.abort())
  return { steps, isRunning, isMissing, start, stop }
}
