/** Both are epoch milliseconds, and the day is the one of the local time zone. */
export function isSameDay(first: number, second: number): boolean {
  return new Date(first).toDateString() === new Date(second).toDateString()
}

export function isToday(timestamp: number): boolean {
  return isSameDay(timestamp, Date.now())
}
