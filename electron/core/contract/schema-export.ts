import type { LearnedFilter, SchemaExportFormat, SchemaSide } from '../../../shared/contract/schema-choice.ts'
import { CONTRACT_VERSION, createContractBundle } from '../../../shared/contract/contract-schemas.ts'
import { writeJsonSchemaBundle } from './json-schema-writer.ts'
import { writeMarkdown } from '../../../shared/contract/markdown-writer.ts'
import { writeOpenApi } from './openapi-writer.ts'
import type { RouteSchema, SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { createCombinedBundle, createRecordedBundle } from './schema-side.ts'
import { writeTypeDeclarations } from './type-declarations-writer.ts'

export interface ExportedSchemas {
  readonly text: string
  readonly fileName: string
  readonly mediaType: string
}

export interface ExportRequest {
  readonly format: SchemaExportFormat
  readonly side: SchemaSide
  /** Routes within the side's filter; not needed for the contract alone. */
  readonly recorded: readonly RouteSchema[]
  /** Writes words of the interface that were recorded but are too rare for an enumeration. */
  readonly hasExamples: boolean
  /** The declarations that the program ships, of which the helpers are kept. */
  readonly declarations: string
}

export function createSideBundle(side: SchemaSide, recorded: readonly RouteSchema[]): SchemaBundle {
  if (side.kind === 'contract') return createContractBundle()
  const filter = describeFilter(side.filter, listNames(recorded, 'hosts'))
  return side.kind === 'recorded'
    ? createRecordedBundle(recorded, `What was recorded${filter}`)
    : createCombinedBundle(recorded, `The contract with what was recorded${filter}`)
}

const listNames = (routes: readonly RouteSchema[], kind: 'hosts' | 'versions'): string[] =>
  [...new Set(routes.flatMap((route) => route[kind]))].sort()

function describeFilter({ host, version, from, to }: LearnedFilter, hosts: readonly string[]): string {
  const days = from === null && to === null ? [] : [`${from ?? ''}..${to ?? ''}`]
  const parts = [...(host === null ? hosts : [host]), ...(version === null ? [] : [version]), ...days]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

export function exportSchemas({ format, side, recorded, hasExamples, declarations }: ExportRequest): ExportedSchemas {
  const bundle = createSideBundle(side, recorded)
  const filter = side.kind === 'contract' ? null : side.filter
  switch (format) {
    case 'openapi': {
      const [onlyHost = null, ...otherHosts] = filter ? listNames(recorded, 'hosts') : []
      const baseUrl = filter?.host ?? (otherHosts.length === 0 ? onlyHost : null)
      const versions = filter ? listNames(recorded, 'versions').join(', ') : ''
      const version = filter?.version ?? (versions || CONTRACT_VERSION)
      const text = writeOpenApi(bundle, { hasExamples, version, baseUrl })
      return { text, fileName: 'bridge.openapi.json', mediaType: 'application/vnd.oai.openapi+json' }
    }
    case 'json-schema': {
      const text = writeJsonSchemaBundle(bundle, { hasExamples })
      return { text, fileName: 'bridge.schema.json', mediaType: 'application/schema+json' }
    }
    case 'dts': {
      const text = side.kind === 'contract' ? declarations : writeTypeDeclarations(bundle, declarations)
      return { text, fileName: 'bridge.d.ts', mediaType: 'text/plain' }
    }
    case 'markdown': {
      const preface = [
        ...(bundle.isPartial ? ['Only what was recorded. What is not listed may exist.', ''] : []),
        'Paths are relative to `{base_url}/bridge/v1`. A count is the number of recorded responses; about stands before an estimate.',
      ]
      return { text: writeMarkdown(bundle, preface), fileName: 'bridge.md', mediaType: 'text/markdown' }
    }
  }
}
