import { decodePercent } from '../../../../shared/bridge/endpoints/path-template.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import { parseBodyValue } from '../../../../shared/bridge/row-access.ts'
import { compareBodies, listIds } from './body-difference.ts'
import { IdPairs } from './id-pairs.ts'
import type { RedactionPolicy } from '../../../../shared/recordings/recording.ts'
import { getBodyRule } from '../../redaction/value-rules.ts'
import type { CheckDifferences } from '../../../../shared/recordings/check/check-difference.ts'
import { checkResponse, compareHeads, isVolatilePlace, type CheckedResponse } from '../check/response-check.ts'

interface RequestTexts {
  readonly path: string
  readonly bodyText: string | null
}

/**
 * A host to which the recorded writes are sent again. It has its own ids of what they create, which
 * count as those of the recording; times, revisions and cursors are not compared.
 */
export class ResentRun {
  readonly #redaction: RedactionPolicy | null
  readonly #ids = new IdPairs()
  readonly #knownIds = new Set<string>()
  readonly #createdIds = new Set<string>()
  #isChanged = false

  constructor(redaction: RedactionPolicy | null) {
    this.#redaction = redaction
  }

  /** Call this before a write is sent. */
  startWrite(): void {
    this.#isChanged = true
  }

  /** The request with the ids of the host; null if it names what only the recording created. */
  translateRequest({ path, bodyText }: RequestTexts): RequestTexts | null {
    let isCreated = false
    const translate = (text: string): string => {
      const partner = this.#ids.getAfter(text)
      if (partner === undefined && this.#createdIds.has(text)) isCreated = true
      else if (!this.#createdIds.has(text)) this.#knownIds.add(text)
      return partner ?? text
    }
    const ownPath = path.replaceAll(/[^/?&=]+/g, (part) => {
      const text = decodePercent(part)
      const ownText = translate(text)
      return ownText === text ? part : encodeURIComponent(ownText)
    })
    const body = parseBodyValue(bodyText)
    const ownBody = JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? translate(value) : value))
    if (isCreated) return null
    // An unusual spelling stays as it was recorded.
    return { path: ownPath, bodyText: ownBody === JSON.stringify(body) ? bodyText : ownBody }
  }

  /** Call this for a recorded response to which the host has no counterpart. */
  missResponse({ bytes }: CheckedResponse, endpoint: string | null): void {
    const { isValid, value } = inspectJson(bytes)
    if (isValid) this.#addIds(value, endpoint)
  }

  /** Compares a response with the recorded one, and learns which ids stand for each other. */
  checkResponse(
    expected: CheckedResponse,
    actual: CheckedResponse,
    endpoint: string | null,
    volatilePointers: readonly string[],
  ): CheckDifferences {
    const policy = this.#redaction
    const [before, after] = [inspectJson(expected.bytes), inspectJson(actual.bytes)]
    if (!before.isValid || !after.isValid) {
      this.missResponse(expected, endpoint)
      return checkResponse(expected, actual, volatilePointers, policy && { policy, endpoint })
    }
    const heads = compareHeads(expected, actual, { isRedacted: false })
    const bodies = compareBodies(omitRunMembers(before.value), omitRunMembers(after.value), {
      rule: getBodyRule(endpoint, 'response'),
      ids: this.#ids,
      areIdsNew: this.#isChanged,
      areTextsComparable: policy === null || policy.texts === 'keep',
    })
    this.#addIds(before.value, endpoint)
    const stable = bodies.differences.filter(({ pointer }) => !isVolatilePlace(pointer, volatilePointers))
    return {
      differences: [...heads, ...stable],
      total: heads.length + bodies.total - (bodies.differences.length - stable.length),
    }
  }

  #addIds(recorded: unknown, endpoint: string | null): void {
    for (const id of listIds(omitRunMembers(recorded), getBodyRule(endpoint, 'response'))) {
      if (!this.#isChanged) this.#knownIds.add(id)
      else if (!this.#knownIds.has(id)) this.#createdIds.add(id)
    }
  }
}

/** The id of a host's run says nothing about the ids of its library. */
function omitRunMembers(value: unknown): unknown {
  if (!isObject(value)) return value
  return { ...value, instanceNonce: undefined }
}
