/** Who is at the other end of a socket, as the kernel tells it. */
export interface PeerCredentials {
  readonly uid: number;
  /** A snapshot from the time of the connection: good for showing, never for authorising. */
  readonly pid: number | null;
}
