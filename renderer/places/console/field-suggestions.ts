import { computed, watch, type ComputedRef } from 'vue'
import { decodeUtf8 } from '../../../shared/json/inspection.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { getFieldIdKind, collectObservedIds, type ObservedId } from '../../model/console/observed-ids.ts'
import type { FormValues } from '../../model/forms/command-draft.ts'
import type { FormField } from '../../model/forms/form-fields.ts'
import { panelPath } from '../../model/traffic/repeatable-headers.ts'
import { useConnection } from '../../stores/connection.ts'
import { usePastRunResponses } from '../../stores/past-run-responses.ts'
import { readExchangeBody, readExchange } from '../../stores/exchange.ts'
import { useFollowMode } from '../../stores/follow-mode.ts'
import { getCachedResponses, cacheResponse } from '../../stores/recent-responses.ts'

/** Answers that are looked through, newest first, and their size: this happens whenever another endpoint is chosen. */
const MOST_ANSWERS = 12
const MOST_BYTES = 512 * 1024
/** Choices below a field. */
const MOST_SHOWN = 12

/**
 * Ids for the fields of a form, out of what was read: the card selected in the host first, then this run, then what the recorder has kept
 * of earlier ones with this host. `stamp` changes with what was read.
 */
export function useFieldSuggestions(
  fields: () => readonly FormField[],
  values: () => FormValues,
  stamp: () => unknown,
): ComputedRef<Readonly<Record<string, readonly ObservedId[]>>> {
  const follow = useFollowMode()
  const seen = computed(() => {
    stamp()
    return collectObservedIds(parsed())
  })
  const connection = useConnection()
  const recorded = usePastRunResponses()
  watch(
    () => connection.state.profile?.baseUrl,
    (host) => host !== undefined && void recorded.load(host),
    { immediate: true },
  )
  const earlier = computed(() => collectObservedIds(recorded.responses))
  return computed(() => {
    const { selection } = follow
    const first = selection && {
      card: { value: selection.noteid, label: `${selection.title} · ${selection.noteid}` },
      studySet: { value: selection.topicid, label: selection.topicid },
    }
    const known = fields().flatMap(({ name, type }) => {
      const kind = type === 'text' ? getFieldIdKind(name) : null
      if (kind === null) return []
      const own = kind === 'card' || kind === 'studySet' ? first?.[kind] : undefined
      const now = [...(own?.value ? [own] : []), ...(seen.value.get(kind) ?? [])]
      const typed = foldText(String(values()[name] ?? ''))
      const unique = new Map(now.map((one) => [one.value, one]))
      for (const one of earlier.value.get(kind) ?? []) if (!unique.has(one.value)) unique.set(one.value, one)
      const fitting = [...unique.values()].filter(({ label }) => foldText(label).includes(typed))
      return [[name, fitting.slice(0, MOST_SHOWN)] as const]
    })
    return Object.fromEntries(known)
  })
}

function* parsed(): Generator<unknown> {
  for (const { raw } of getCachedResponses()
    .filter(({ raw }) => raw.byteLength <= MOST_BYTES)
    .slice(0, MOST_ANSWERS)) {
    try {
      yield JSON.parse(decodeUtf8(new Uint8Array(raw)).text)
    } catch {
      // It was no JSON.
    }
  }
}

/** What the console read is known from then on, like any other answer. Nothing happens if it cannot be read. */
export async function cacheConsoleResponse(seq: number): Promise<void> {
  try {
    const { row } = await readExchange({ seq })
    const { status, startedAt, durationMs, epoch, bytes, mediaType, endpoint, method, id } = row
    if (status !== 200 || !mediaType.includes('json') || bytes > MOST_BYTES) return
    const raw = await readExchangeBody(seq, 'response')
    const lasted = durationMs ?? 0
    cacheResponse(
      {
        exchangeId: id,
        endpoint: endpoint ?? '',
        method,
        path: panelPath(row),
        status,
        contentType: mediaType,
        headers: {},
        durationMs: lasted,
        receivedAt: startedAt + lasted,
        epoch,
        byteLength: bytes,
      },
      raw,
    )
  } catch {
    // Suggestions are worth no error.
  }
}
