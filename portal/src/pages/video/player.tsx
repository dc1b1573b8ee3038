import Hls from 'hls.js';
import { useEffect, useRef, useState } from 'react';
import { TokenRefresher } from '../../../../client/src/refresh.ts';
import styles from './video.module.css';

interface PlayerProps {
  readonly requested: {
    readonly video: string;
    readonly type: string;
    readonly expire: number;
    readonly client_ip?: string;
  };
}

/** Plays a signed video, and gets a new address before each expires. */
export default function Player({ requested }: PlayerProps) {
  const element = useRef<HTMLVideoElement>(null);
  const [refreshes, setRefreshes] = useState(0);
  const [fault, setFault] = useState<string>();
  const query = new URLSearchParams(Object.entries(requested).map(([key, value]) => [key, String(value)]));
  const tokenUrl = `${location.origin}/video/token?${query}`;
  useEffect(() => {
    const hls = new Hls({
      xhrSetup: (xhr, url) => refresher.xhrSetup(xhr, url),
      // Nobody sees them here, and the track that they would be put on is a file that a page may not load.
      enableID3MetadataCues: false,
      enableEmsgMetadataCues: false,
      enableDateRangeMetadataCues: false,
    });
    const refresher = new TokenRefresher({
      tokenUrl,
      onRefresh: () => setRefreshes((count) => count + 1),
      onError: () => setFault('No new address could be had; it is tried again.'),
    });
    hls.on(Hls.Events.ERROR, (_event, { fatal, details, response }) => {
      if (fatal) setFault(response?.code ? `The edge answered ${response.code}` : details);
    });
    hls.on(Hls.Events.MANIFEST_PARSED, () => setFault(undefined));
    void refresher.start().then(
      (url) => {
        hls.loadSource(url);
        if (element.current) hls.attachMedia(element.current);
      },
      (error: unknown) => setFault(String(error)),
    );
    return () => {
      refresher.stop();
      hls.destroy();
    };
  }, [tokenUrl]);
  return (
    <>
      <video ref={element} className={styles.player} controls muted playsInline aria-label="The video" />
      <p className={styles.below} role="status">
        {fault ??
          (refreshes > 0
            ? `The address was renewed ${refreshes} times, and the player went on.`
            : 'The address is renewed by itself before it expires.')}
      </p>
    </>
  );
}
