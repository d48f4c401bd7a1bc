import type { LearnedFilter, SchemaExportFormat, SchemaSide } from './schema-choice.ts'
import { createContractBundle } from './contract-schemas.ts'
import { writeJsonSchemaBundle } from './json-schema-writer.ts'
import { writeMarkdown } from './markdown-writer.ts'
import { writeOpenApi } from './openapi-writer.ts'
import type { RouteSchema, SchemaBundle } from './route-schema.ts'
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
  /** What was recorded within the side's filter; not needed for the contract alone. */
  readonly recorded: readonly RouteSchema[]
  /** Writes words of the interface that were recorded but are too rare for an enumeration. */
  readonly hasExamples: boolean
  /** The declarations that the program ships, of which the helpers are kept. */
  readonly declarations: string
}

/** Builds all routes of a side. */
export function createSideBundle(side: SchemaSide, recorded: readonly RouteSchema[]): SchemaBundle {
  if (side.kind === 'contract') return createContractBundle()
  const filter = describeFilter(side.filter, listHosts(recorded))
  return side.kind === 'recorded'
    ? createRecordedBundle(recorded, `What was recorded${filter}`)
    : createCombinedBundle(recorded, `The contract with what was recorded${filter}`)
}

const listHosts = (routes: readonly RouteSchema[]): string[] =>
  [...new Set(routes.flatMap(({ hosts }) => hosts ?? []))].sort()

function describeFilter({ host, version, from, to }: LearnedFilter, hosts: readonly string[]): string {
  const days = from === null && to === null ? [] : [`${from ?? ''}..${to ?? ''}`]
  const parts = [...(host === null ? hosts : [host]), ...(version === null ? [] : [version]), ...days]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

/** Writes a side in a format. */
export function exportSchemas({ format, side, recorded, hasExamples, declarations }: ExportRequest): ExportedSchemas {
  const bundle = createSideBundle(side, recorded)
  const { host, version } = side.kind === 'contract' ? { host: null, version: null } : side.filter
  switch (format) {
    case 'openapi': {
      const [onlyHost = null, ...otherHosts] = side.kind === 'contract' ? [] : listHosts(recorded)
      const baseUrl = host ?? (otherHosts.length === 0 ? onlyHost : null)
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
    case 'markdown':
      return { text: writeMarkdown(bundle), fileName: 'bridge.md', mediaType: 'text/markdown' }
  }
}
