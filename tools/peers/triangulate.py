#!/usr/bin/env python3
"""How well do an export's poses triangulate? With pycolmap's SIFT, on the processor.

usage: triangulate.py EXPORT [--wrong]

EXPORT is a folder of `export --to colmap`. Features are found and matched in the images, and triangulated with the
poses as they are. `--wrong` turns each camera round its x axis first, as if ARKit's axes were taken for COLMAP's.
Prints JSON: images, points with at least three views, and the mean reprojection error in pixels.
"""
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pycolmap


def main():
    export = Path(sys.argv[1])
    pycolmap.logging.minloglevel = 2
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        database = folder / "db.db"
        reader = pycolmap.ImageReaderOptions()
        reader.camera_model = "PINHOLE"
        extraction = pycolmap.FeatureExtractionOptions()
        extraction.max_image_size = 900
        extraction.use_gpu = False
        # With more, images and cameras get their numbers in the order in which they are done, which no model has.
        extraction.num_threads = 1
        pycolmap.extract_features(
            database, export / "images", camera_mode=pycolmap.CameraMode.PER_IMAGE, reader_options=reader,
            extraction_options=extraction,
        )
        pycolmap.match_exhaustive(database)
        model = pycolmap.Reconstruction(export / "sparse/0")
        if "--wrong" in sys.argv:
            flip = np.diag([1.0, -1, -1])
            for number in model.images:
                image = model.images[number]
                pose = image.cam_from_world()
                wrong = pycolmap.Rigid3d(pycolmap.Rotation3d(flip @ pose.rotation.matrix()), flip @ pose.translation)
                model.frame(image.frame_id).set_cam_from_world(image.camera_id, wrong)
        (folder / "out").mkdir()
        result = pycolmap.triangulate_points(model, database, export / "images", folder / "out")
        points = [p for p in result.points3D.values() if p.track.length() >= 3]
        errors = [p.error for p in points]
        print(json.dumps({
            "images": len(model.images), "points": len(points),
            "mean_px": float(np.mean(errors)) if errors else None,
            "observations": int(sum(p.track.length() for p in points)),
        }))
        shutil.rmtree(folder / "out", ignore_errors=True)


if __name__ == "__main__":
    main()
