/** The parts of scripts/ that tests use; scripts are plain JavaScript. */
declare module '*/scripts/lib/chromium.mjs' {
  export const chromiumArgs: string[]
  export function findChromium(): Promise<string | null>
  export function findTestChromium(): Promise<string | null>
  export function ensureTestChromium(): Promise<string>
  export function ensureChromium(): Promise<string>
}
declare module '*/scripts/lib/electron.mjs' {
  export function findElectron(): string | null
  export function hasDisplay(): boolean
  export function getRootFlags(): string[]
}
declare module '*/scripts/lib/electron-libraries.mjs' {
  export function findMissingLibraries(program: string): string[]
}
declare module '*/scripts/lib/build.mjs' {
  export function ensureBuilt(name: 'web' | 'desktop' | 'cli'): void
}
declare module '*/scripts/lib/rules.mjs' {
  export function createRulesDoc(): string
}
declare module '*/scripts/lib/bridge-types.mjs' {
  export const bridgeTypesPath: string
  export function createBridgeTypes(source: string): Promise<string>
}
declare module '*/scripts/lib/collection-schema.mjs' {
  export const collectionSchemaPath: string
  export function createCollectionSchema(): string
}
declare module '*/scripts/lib/contract.mjs' {
  export function createContractDoc(): string
}

declare module '*/scripts/lib/node.mjs' {
  interface Machine {
    readonly root: string
    readonly platform: string
    readonly arch: string
    readonly version: string
  }
  export function chooseNode(machine: Machine): { program: string } | { problem: string } | null
  export function linkNode(machine: Machine): void
}
declare module '*/scripts/lib/contract.mjs' {
  export function createContractDoc(): string
}
declare module '*/scripts/lib/paths.mjs' {
  export const root: string
  export function bin(name: string): string
}
declare module '*/scripts/lib/suites.mjs' {
  interface SuiteSummary {
    name: string
    passed: number
    failed: number
    skipped: number
    note?: string
    failures?: string[]
  }
  export function formatSummary(sums: SuiteSummary[]): { failed: number; text: string }
  export function runVitest(suites: string[], flags: string[], env?: Record<string, string>): Promise<SuiteSummary[]>
  export function runPlaywright(
    projects: string[],
    flags: string[],
    env?: Record<string, string>,
  ): Promise<SuiteSummary[]>
  export function summarizePlaywright(report: unknown, projects: string[]): SuiteSummary[]
  export function summarizeVitest(report: unknown, suites: string[]): SuiteSummary[]
}
declare module '*/scripts/lib/electron-plain.mjs' {
  export function ensurePlainElectron(executable: string, folder?: string): string
}
declare module '*/scripts/lib/icon-files.mjs' {
  export function createIco(pictures: ReadonlyMap<number, Buffer>): Buffer
  export function createIcns(pictures: ReadonlyMap<number, Buffer>): Buffer
}
declare module '*/bench/wire/last.mjs' {
  type Figures = Readonly<Record<string, number>>
  export const checked: Readonly<Record<string, string>>
  export const checkedGroups: Readonly<Record<string, readonly string[]>>
  export function toMedians(runs: readonly Figures[], names?: readonly string[]): Figures
  export function toStoredResult(tree: Readonly<Record<string, number | Figures>>): Record<string, number>
  interface Slowdown {
    readonly name: string
    readonly before: number | undefined
    readonly best: number
  }
  interface Commits {
    readonly commit: string
    readonly commits?: Readonly<Record<string, string>>
  }
  export function findSlowdowns(last: Figures, runs: readonly Figures[], names?: readonly string[]): Slowdown[]
  export function formatSlowdown(slowdown: Slowdown, last: Commits, rounds: number): string
  export function keepFigures(
    last: Commits,
    medians: Figures,
    commit: string,
  ): Commits & Readonly<Record<string, unknown>>
}
declare module '*/scripts/lib/npm-manifest.mjs' {
  export function toPublishedManifest(manifest: Readonly<Record<string, unknown>>): Record<string, unknown>
}
declare module '*/scripts/lib/system-files.mjs' {
  interface SystemFile {
    readonly file: string
    readonly data: string | Buffer
    readonly mode: number
  }
  export function readLauncher(): string
  export function createSystemFiles(release: {
    version: string
    maintainer: string
    date: Date
    licenses: string
  }): SystemFile[]
  export function toDebianChangelog(markdown: string, maintainer: string, date: Date): string
}
