import { readFileSync } from 'node:fs'
import { isBindingDeviation } from '../../../shared/contract/deviation.ts'
import type { RouteSchema } from '../../../shared/contract/route-schema.ts'
import { compareBundles } from '../../core/contract/schema-comparison.ts'
import { createSideBundle, exportSchemas } from '../../core/contract/schema-export.ts'
import { MAX_LISTED_DIFFERENCES, type LearnedFilter, type SchemaSide } from '../../../shared/ipc/contract-schemas.ts'
import type { DeviationList } from '../../../shared/ipc/contract.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { formatSarif } from '../../core/sarif/deviation-sarif.ts'
import type { LearnedRouteKey } from './learned-routes.ts'

interface Options {
  readonly store: {
    /** Describes what was learned within a filter, of one route or of all. */
    readLearned(filter: LearnedFilter, route: LearnedRouteKey | null): RouteSchema[] | Promise<RouteSchema[]>
    listDeviations(): DeviationList | Promise<DeviationList>
  }
  /** The folder with the type declarations that the program ships. */
  readonly resources: URL
  /** Version of this program, which a report names. */
  readonly version: string
}

/** Exports and compares what the contract shows and what was learned. */
export class SchemaService {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  async readShape({ filter, ...key }: IpcInput<'contract.learnedShape'>): Promise<IpcOutput<'contract.learnedShape'>> {
    const [route] = await this.#options.store.readLearned(filter, key)
    return { success: route?.response ?? null, error: route?.error ?? null }
  }

  async export({ format, side, examples }: IpcInput<'contract.export'>): Promise<IpcOutput<'contract.export'>> {
    const declarations = format === 'dts' ? readFileSync(new URL('bridge.d.ts', this.#options.resources), 'utf8') : ''
    const recorded = await this.#readSide(side)
    return exportSchemas({ format, side, recorded, hasExamples: examples, declarations })
  }

  async exportDeviations(): Promise<IpcOutput<'contract.exportDeviations'>> {
    const { deviations, unjudgedExchanges } = await this.#options.store.listDeviations()
    const binding = deviations.filter(isBindingDeviation)
    const judged = {
      deviations: binding.filter(({ muted }) => muted === null),
      muted: binding.filter(({ muted }) => muted !== null),
      unasked: [],
      refused: [],
      failed: [],
      isPartial: unjudgedExchanges > 0,
    }
    const text = formatSarif(judged, this.#options.version)
    return { text, fileName: 'contract.sarif', mediaType: 'application/sarif+json' }
  }

  async compare({ before, after }: IpcInput<'contract.compare'>): Promise<IpcOutput<'contract.compare'>> {
    const [recordedBefore, recordedAfter] = [await this.#readSide(before), await this.#readSide(after)]
    const differences = compareBundles(createSideBundle(before, recordedBefore), createSideBundle(after, recordedAfter))
    return {
      differences: differences.slice(0, MAX_LISTED_DIFFERENCES),
      moreDifferences: Math.max(0, differences.length - MAX_LISTED_DIFFERENCES),
    }
  }

  async #readSide(side: SchemaSide): Promise<RouteSchema[]> {
    return side.kind === 'contract' ? [] : this.#options.store.readLearned(side.filter, null)
  }
}
