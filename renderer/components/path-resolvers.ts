import type { InjectionKey } from 'vue'

/**
 * Opens what an id names, wherever one is shown; whoever knows how provides it. Returns the address, or null where it leads nowhere (what
 * is copied is not an id).
 */
export const idPathResolverKey: InjectionKey<(id: string) => string | null> = Symbol('openId')

/** The address of an exchange, by the id that an error carries; null where there is none. */
export const exchangePathResolverKey: InjectionKey<(exchangeId: string) => string | null> = Symbol('openExchange')
