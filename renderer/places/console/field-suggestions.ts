import { computed, watch, type ComputedRef } from 'vue'
import { decodeUtf8 } from '../../../shared/json/inspection.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { getFieldIdKind, collectObservedIds, type ObservedId } from '../../model/console/observed-ids.ts'
import type { FormValues } from '../../model/forms/command-draft.ts'
import type { FormField } from '../../model/forms/form-fields.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import { useConnection } from '../../stores/connection.ts'
import { usePastRunResponses } from '../../stores/past-run-responses.ts'
import { readExchangeBody, readExchange } from '../../stores/exchange.ts'
import { useFollowMode } from '../../stores/follow-mode.ts'
import { getCachedResponses, cacheResponse } from '../../stores/recent-responses.ts'

/** Limits the search for ids, which runs whenever the user selects another endpoint. */
const MAX_RESPONSES = 12
const MAX_RESPONSE_BYTES = 512 * 1024
const MAX_SUGGESTIONS = 12

/**
 * The card selected in the host comes first, then ids of this run, then ids that earlier runs
 * recorded with this host.
 * @param stamp returns another value whenever responses have been added
 */
export function useFieldSuggestions(
  fields: () => readonly FormField[],
  values: () => FormValues,
  stamp: () => unknown,
): ComputedRef<Readonly<Record<string, readonly ObservedId[]>>> {
  const follow = useFollowMode()
  const observedIds = computed(() => {
    stamp()
    return collectObservedIds(parseCachedResponses())
  })
  const connection = useConnection()
  const pastRuns = usePastRunResponses()
  watch(
    () => connection.state.profile?.baseUrl,
    (host) => host !== undefined && void pastRuns.load(host),
    { immediate: true },
  )
  const pastIds = computed(() => collectObservedIds(pastRuns.responses))
  return computed(() => {
    const { selection } = follow
    const selectionIds = selection && {
      card: { value: selection.noteid, label: `${selection.title} · ${selection.noteid}` },
      studySet: { value: selection.topicid, label: selection.topicid },
    }
    const suggestions = fields().flatMap(({ name, type }) => {
      const kind = type === 'text' ? getFieldIdKind(name) : null
      if (kind === null) return []
      const selectedId = kind === 'card' || kind === 'studySet' ? selectionIds?.[kind] : undefined
      const currentIds = [...(selectedId?.value ? [selectedId] : []), ...(observedIds.value.get(kind) ?? [])]
      const searchText = foldText(String(values()[name] ?? ''))
      const idsByValue = new Map(currentIds.map((id) => [id.value, id]))
      for (const id of pastIds.value.get(kind) ?? []) if (!idsByValue.has(id.value)) idsByValue.set(id.value, id)
      const matchingIds = [...idsByValue.values()].filter(({ label }) => foldText(label).includes(searchText))
      return [[name, matchingIds.slice(0, MAX_SUGGESTIONS)] as const]
    })
    return Object.fromEntries(suggestions)
  })
}

function* parseCachedResponses(): Generator<unknown> {
  for (const { raw } of getCachedResponses()
    .filter((response) => response.raw.byteLength <= MAX_RESPONSE_BYTES)
    .slice(0, MAX_RESPONSES)) {
    try {
      yield JSON.parse(decodeUtf8(new Uint8Array(raw)).text)
    } catch {
      // A body that is not JSON contains no ids to suggest.
    }
  }
}

/**
 * Caches the response of an exchange, so that its ids are suggested. Responses that are not JSON,
 * or cannot be read, are ignored.
 * @param seq position of the exchange in the traffic store
 */
export async function cacheConsoleResponse(seq: number): Promise<void> {
  try {
    const { row } = await readExchange({ seq })
    const { status, startedAt, durationMs, epoch, bytes, mediaType, endpoint, method, id } = row
    if (status !== 200 || !mediaType.includes('json') || bytes > MAX_RESPONSE_BYTES) return
    const raw = await readExchangeBody(seq, 'response')
    const duration = durationMs ?? 0
    cacheResponse(
      {
        exchangeId: id,
        endpoint: endpoint ?? '',
        method,
        path: getHostApiPath(row),
        status,
        contentType: mediaType,
        headers: {},
        durationMs: duration,
        receivedAt: startedAt + duration,
        epoch,
        byteLength: bytes,
      },
      raw,
    )
  } catch {
    // Missing suggestions need no error message.
  }
}
