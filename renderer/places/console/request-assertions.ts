import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import { parseAssertions, type Assertion, type InvalidAssertion } from '../../../shared/collections/assertion.ts'
import type { AssertionResult } from '../../../shared/collections/assertion-result.ts'
import type { Variables } from '../../../shared/collections/variables.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { ConsoleTab } from '../../../shared/ipc/console.ts'
import type { SavedRequest } from '../../../shared/collections/saved-request.ts'
import { upsertRequest } from '../../model/console/saved-requests.ts'
import { useCollections } from '../../stores/collections.ts'
import { useConsole } from '../../stores/console.ts'
import { isCancellation, toAppError, useAttempt } from '../../stores/errors.ts'
import { checkAssertions, createAssertion } from '../../stores/exchange.ts'

/** `result` is null until a response was checked. */
export interface AssertionEntry {
  readonly assertion: Assertion | InvalidAssertion
  readonly result: AssertionResult | null
}

/** `waiting` if there is no response to check, `not-evaluated` if it could not be checked. */
type AssertionsPhase = 'waiting' | 'checking' | 'checked' | 'not-evaluated'

interface RequestAssertions {
  readonly phase: ShallowRef<AssertionsPhase>
  readonly entries: ComputedRef<readonly AssertionEntry[]>
  /** Why the assertions could not be checked or changed. */
  readonly error: ShallowRef<AppError | null>
  add(assertion: Assertion): Promise<boolean>
  /** Adds the assertion that the value at this JSON pointer of the response stays as it is. */
  addValue(pointer: string): Promise<void>
  remove(index: number): Promise<boolean>
}

/**
 * The assertions of the open request, checked against its last response. Those of a saved request
 * are in its collection, and every change is saved at once; those of another one are in its tab.
 * @param getSeq returns the recorded response of the last send; null if there is none
 */
export function useRequestAssertions(
  getTab: () => ConsoleTab,
  getSeq: () => number | null,
  getVariables: () => Variables,
): RequestAssertions {
  const store = useConsole()
  const collections = useCollections()
  const results = shallowRef<readonly AssertionResult[]>([])
  const { failure: error, attempt } = useAttempt()
  const phase = shallowRef<AssertionsPhase>('waiting')
  let running = new AbortController()

  const saved = computed(() => {
    const location = getTab().saved
    const collection = location && collections.findById(location.collection)
    const request = collection?.requests.find(({ name }) => name === location?.name)
    return collection && request ? { collection, request } : null
  })
  const assertions = computed(() => (saved.value ? saved.value.request.assertions : getTab().assertions))
  const entries = computed(() =>
    parseAssertions(assertions.value).map((assertion, index) => ({
      assertion,
      result: results.value[index] ?? null,
    })),
  )

  async function check(): Promise<void> {
    running.abort()
    const { signal } = (running = new AbortController())
    const seq = getSeq()
    results.value = []
    phase.value = 'waiting'
    if (seq === null || assertions.value === undefined) return
    phase.value = 'checking'
    try {
      const checked = await checkAssertions(seq, assertions.value, getVariables(), signal)
      if (signal.aborted) return
      results.value = checked
      phase.value = 'checked'
    } catch (thrown) {
      if (signal.aborted) return
      phase.value = 'not-evaluated'
      if (!isCancellation(thrown)) error.value = toAppError(thrown)
    }
  }
  // With one getter for all, a new object would begin a check at each change of the tab.
  watch(
    [() => getTab().id, getSeq, assertions, getVariables],
    () => {
      error.value = null
      void check()
    },
    { immediate: true },
  )
  onScopeDispose(() => running.abort())

  async function save(changed: SavedRequest['assertions'][]): Promise<void> {
    const value = changed.length === 0 ? undefined : (changed as SavedRequest['assertions'])
    if (!saved.value) return store.updateTab(getTab().id, { assertions: value })
    const { collection, request } = saved.value
    await collections.save(upsertRequest(collection, { ...request, assertions: value }))
  }
  /** A value that is no list is kept as the first entry. */
  function listStored(): SavedRequest['assertions'][] {
    const { value } = assertions
    return value === undefined ? [] : Array.isArray(value) ? [...value] : [value]
  }
  const add = (assertion: Assertion): Promise<boolean> => attempt(() => save([...listStored(), assertion]))
  async function addValue(pointer: string): Promise<void> {
    const seq = getSeq()
    if (seq === null) return
    await attempt(async () => save([...listStored(), await createAssertion(seq, pointer)]))
  }
  const remove = (index: number): Promise<boolean> => attempt(() => save(listStored().toSpliced(index, 1)))

  return { phase, entries, error, add, addValue, remove }
}
