/** A locally administered unicast address, made of the random end of the port's id. */
export function macAddressOf(portId: string): string {
  return ['fa', ...(portId.slice(-10).match(/../g) ?? [])].join(':');
}
